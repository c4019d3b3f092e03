#ifndef CANDLED_CLIBWEBSOCKETS_SHIM_H
#define CANDLED_CLIBWEBSOCKETS_SHIM_H

#include <libwebsockets.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>

/* Function-like or composed macros that Swift does not import. */
static const int CLWS_PRE = LWS_PRE;
static const int CLWS_TO_KILL_ASYNC = LWS_TO_KILL_ASYNC;
static const int CLWS_TO_KILL_SYNC = LWS_TO_KILL_SYNC;
static const int CLWS_LOG_ERR = LLL_ERR;
static const int CLWS_LOG_WARN = LLL_WARN;
static const int CLWS_PORT_NO_LISTEN = CONTEXT_PORT_NO_LISTEN;

/*
 * lws hands the protocol table back as const, although it is its own heap copy.
 * The receive buffer of a connection is sized from this field at the moment of the upgrade only;
 * afterwards the field merely caps how many bytes one callback delivers.
 * Writing it around the upgrade gives each role its own buffer without a subprotocol.
 */
static inline void clws_set_rx_buffer_size(struct lws *wsi, size_t size) {
    struct lws_protocols *protocol = (struct lws_protocols *)lws_get_protocol(wsi);
    if (protocol)
        protocol->rx_buffer_size = size;
}

/* Names the calling thread, at most 15 bytes: pthread_setname_np is hidden from Swift. */
static inline void clws_name_thread(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

#endif

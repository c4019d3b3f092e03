#pragma once
/// Calls of malloc, calloc, realloc and aligned_alloc by the calling thread.
long malloc_count(void);

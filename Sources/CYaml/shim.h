#ifndef CANDLED_CYAML_SHIM_H
#define CANDLED_CYAML_SHIM_H

#include <yaml.h>

#endif

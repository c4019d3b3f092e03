// The settings of the allocator, which Swift's Glibc leaves out.
#include <malloc.h>

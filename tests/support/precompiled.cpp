/// The source of a library that has nothing but its precompiled header.

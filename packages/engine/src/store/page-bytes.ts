/**
 * The most bytes that a page of the log may hold besides its last row. Events may be large, and every reader
 * holds a page in memory.
 */
export const PAGE_BYTES = 4_194_304

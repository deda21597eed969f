/** What a page of the log may hold besides its last row: events may be large, and everybody who reads holds one. */
export const PAGE_BYTES = 4_194_304

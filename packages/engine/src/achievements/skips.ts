/** So much of what could not be read is named in one session, and in all. */
export const MOST_SKIPPED_IN_ONE = 10
export const MOST_SKIPPED = 100

/** Something that could not be read. */
export interface Skip {
  readonly place: string
  readonly reason: string
}

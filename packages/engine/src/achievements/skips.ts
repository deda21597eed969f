/** Reports name at most this many unreadable parts per session and in total. */
export const MOST_SKIPPED_IN_ONE = 10
export const MOST_SKIPPED = 100

/** Something that could not be read. */
export interface Skip {
  readonly place: string
  readonly reason: string
}

/** Returns 0 for an empty list. */
export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Writes a count with its noun: `1 event`, `3,604 events`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`

/** Moves a value into a range. Where the range is empty, `most` wins: the last index of an empty list is -1. */
export const clamp = (value: number, least: number, most: number): number =>
  Math.min(Math.max(value, least), most)

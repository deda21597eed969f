/** A text that is there and not empty; anything else is absent. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

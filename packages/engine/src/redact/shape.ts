/** A secret in a text: what to replace, and what to call it. */
export interface Secret {
  readonly label: string
  readonly start: number
  readonly end: number
  /** What to put around the marker: a number in JSON has no quotes of its own. */
  readonly around?: string
}

/** Secrets further on in the text; until there the same shape has been looked for. */
export interface Ahead {
  readonly secrets: readonly Secret[]
  readonly until: number
}

/**
 * What a look at one place found: a secret, secrets further on, or the position before which the same shape cannot be found
 * either, so that no character is looked at twice for nothing.
 */
export type Found = Secret | Ahead | number

export interface Shape {
  /** Where to look; matched without regard to case. */
  readonly literal: string
  /** `start` is where the literal starts, `end` where it ends. */
  readonly look: (text: string, start: number, end: number) => Found
}

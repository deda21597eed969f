/** A secret in a text: what to replace, and what to call it. */
export interface Secret {
  readonly label: string
  readonly start: number
  readonly end: number
}

/**
 * What a look at one place found: a secret, or the position before which the same shape cannot be found either,
 * so that no character is looked at twice for nothing.
 */
export type Found = Secret | number

export interface Shape {
  /** Where to look; matched without regard to case. */
  readonly literal: string
  /** `start` is where the literal starts, `end` where it ends. */
  readonly look: (text: string, start: number, end: number) => Found
}

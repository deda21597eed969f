/** A secret in a text: the range to replace, and its label. */
export interface Secret {
  readonly label: string
  readonly start: number
  readonly end: number
  /** Quotes to put around the marker, because a JSON number has none of its own. */
  readonly around?: string
}

/** Secrets further on in the text. Up to the last of them, this shape needs no further search. */
export interface Ahead {
  readonly secrets: readonly Secret[]
  readonly until: number
}

/**
 * The result at one position: a secret, secrets further on, or the position before which this shape cannot
 * match, so that no character is examined twice.
 */
export type Found = Secret | Ahead | number

export interface Shape {
  /** The search looks for this text, without regard to case. */
  readonly literal: string
  /** `start` and `end` are the bounds of the literal. */
  readonly look: (text: string, start: number, end: number) => Found
}

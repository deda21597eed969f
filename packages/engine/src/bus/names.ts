/**
 * The names of one store's streams and subjects on the bus. They keep any number of stores apart on one
 * server.
 */
export interface Names {
  /** Holds events that arrived and are not in the store yet. */
  readonly stream: string
  readonly incoming: string
  /** Holds events that the store rejected. */
  readonly refusedStream: string
  readonly refused: string
  /** Carries rows as they are stored, for every subscriber. */
  readonly rows: string
}

export const WRITER = 'writer'

export const busNames = (space: string, id: string): Names => {
  const stream = `panoptes_${space}_${id}`
  const subject = `panoptes.${space}.${id}`
  return {
    stream,
    incoming: `${subject}.in`,
    refusedStream: `${stream}_refused`,
    refused: `${subject}.refused`,
    rows: `${subject}.rows`,
  }
}

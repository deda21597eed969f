/** What one ledger is called on the bus, so that any number of them may share it. */
export interface Names {
  /** What came in and is not in the ledger yet. */
  readonly stream: string
  readonly incoming: string
  /** Events that the ledger would not have. */
  readonly refusedStream: string
  readonly refused: string
  /** Rows as they were stored, for whoever listens. */
  readonly rows: string
}

export const WRITER = 'writer'

export const namesOf = (space: string, id: string): Names => {
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

import { RequestFailure } from '../api/request.ts'

/** A failure that is to be told where it is: that nobody answers at all is told once, above everything. */
export const toTell = (error: Error | null, isCutOff: boolean): Error | null =>
  isCutOff && error instanceof RequestFailure && error.status === 0 ? null : error

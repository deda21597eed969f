import { RequestFailure } from '../api/request.ts'

/** Returns a failure to show in place. That the server does not respond at all is reported once, above the page. */
export const findVisibleError = (error: Error | null, isCutOff: boolean): Error | null =>
  isCutOff && error instanceof RequestFailure && error.status === 0 ? null : error

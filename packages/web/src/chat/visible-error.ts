import { RequestFailure } from '../api/request.ts'
import { useStore } from '../store.ts'
import { pageTail } from '../stream/page-tail.ts'

/** Returns a failure to show in place. That the server does not respond at all is reported once, above the page. */
export const findVisibleError = (error: Error | null, isCutOff: boolean): Error | null =>
  isCutOff && error instanceof RequestFailure && error.status === 0 ? null : error

/** Whether the page has no connection, which the strip above the page reports. */
export const useIsCutOff = (): boolean => useStore(pageTail.state).lostAt !== null

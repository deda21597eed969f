import { useStore } from '../store.ts'
import { pageTail } from '../stream/page-tail.ts'

/** Whether the page has no connection, which the strip above the page reports. */
export const useIsCutOff = (): boolean => useStore(pageTail.state).lostAt !== null

import { useStore } from '../store.ts'
import { pageTail } from '../stream/page-tail.ts'

/** Whether the page has no connection at all, which is said above everything. */
export const useIsCutOff = (): boolean => useStore(pageTail.state).lostAt !== null

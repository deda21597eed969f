export type {
  AgentQuery,
  AgentRef,
  Appended,
  At,
  EventFilter,
  EventPage,
  EventRange,
  EventRow,
  Head,
  Ledger,
  LedgerInfo,
  Marks,
  Moment,
  RetentionPolicy,
  TimelineQuery,
  Work,
} from './port.ts'
export { RecentRows } from './recent-rows.ts'
export { openSqliteLedger } from './sqlite/ledger.ts'
export { writerSettings } from './sqlite/open-file.ts'

export type {
  AgentQuery,
  Appended,
  At,
  EventFilter,
  EventPage,
  EventRange,
  EventRow,
  Head,
  Ledger,
  LedgerInfo,
  RetentionPolicy,
  Work,
} from './port.ts'
export { openSqliteLedger } from './sqlite/ledger.ts'
export { writerSettings } from './sqlite/open-file.ts'

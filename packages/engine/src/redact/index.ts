export { type RedactedEvent, redactEvent } from './event.ts'
export { type Redacted, redactText } from './text.ts'

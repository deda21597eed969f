export { type RedactedEvent, redactCounted, redactEvent, redactValue } from './event.ts'
export { markup } from './markup.ts'
export { type Redacted, redactText } from './text.ts'
export { safeJson, visible, visibleLine } from './visible.ts'

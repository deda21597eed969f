export { generateSpans, type SpansOptions } from './spans.ts'

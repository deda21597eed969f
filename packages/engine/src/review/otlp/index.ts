export { type SpansOptions, spansOf } from './spans.ts'

export { createOtlp, type Otlp } from './otlp.ts'

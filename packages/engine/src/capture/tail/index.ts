export { createTail, type Tail, type TailHealth } from './tail.ts'

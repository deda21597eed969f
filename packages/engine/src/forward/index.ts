export { type Forward, type ForwardLog, type ForwardOptions, startForward } from './forward.ts'
export { hubUrl } from './hub.ts'

export { type Contact, checkHub } from './check-hub.ts'
export { type Forward, type ForwardLog, type ForwardOptions, startForward } from './forward.ts'
export { hubUrl, nameOf, openHub } from './hub.ts'
export { transcriptReceiver } from './receiver.ts'

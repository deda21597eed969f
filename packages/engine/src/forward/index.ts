export { type Forward, type ForwardLog, type ForwardOptions, startForward } from './forward.ts'
export { type Contact, checkHub, openHub, transcriptReceiver } from './hub.ts'
export { hubName, hubUrl } from './hub-url.ts'
export { restartMark } from './mark.ts'

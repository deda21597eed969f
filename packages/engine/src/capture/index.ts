export { type Capture, type Captured, type CaptureOptions, createCapture, type Store } from './capture.ts'
export { UNKNOWN_SESSION } from './sessions.ts'

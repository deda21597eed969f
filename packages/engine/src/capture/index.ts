export { type Capture, type Captured, type CaptureOptions, createCapture } from './capture.ts'
export { UNKNOWN_SESSION } from './sessions.ts'

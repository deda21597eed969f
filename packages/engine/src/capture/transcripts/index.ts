export { createTranscripts } from './transcripts.ts'

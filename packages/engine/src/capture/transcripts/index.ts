export { createTranscripts, type Transcripts, type TranscriptsHealth } from './transcripts.ts'

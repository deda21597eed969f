import type { Transcripts } from '@panoptes/engine/store'
import type { TranscriptChange } from '@panoptes/schema'
import type { TranscriptReceiver } from './port.ts'

/** A hub's own computer tells it without a wire. */
export const receiverOf = (
  transcripts: Pick<Transcripts, 'known' | 'write'>,
  host: string,
): TranscriptReceiver => ({
  known: (source) => transcripts.known(source, host),
  send: (lines) =>
    transcripts.write(
      host,
      lines.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as TranscriptChange])),
    ),
})

import type { ChatFile } from '@panoptes/schema'
import type { ChatInputOnWire } from './api/chat-stream.ts'
import type { Draft } from './composer/drafts.ts'
import type { Chosen } from './head/pickers.tsx'

/** A draft as the server takes it. A model is named only where a person chose one. */
export const inputOf = (draft: Draft, { runtime, model }: Chosen): ChatInputOnWire => ({
  message: draft.text,
  ...(runtime === null ? {} : { runtime }),
  ...(model === null ? {} : { model }),
  ...(draft.template === null ? {} : { template: draft.template }),
  ...(draft.replaces === null ? {} : { replaces: draft.replaces }),
  ...filesIn(draft),
})

/** The files that go with it, as they are told of. */
export const filesOf = ({ files, kept }: Draft): readonly ChatFile[] =>
  files.length === 0 ? kept : files.map(({ input: _input, ...file }) => file)

/** A message that is edited keeps its files where none are named, and loses them where that is said. */
const filesIn = ({ files, kept, replaces }: Draft): Pick<ChatInputOnWire, 'files'> =>
  files.length > 0
    ? { files: files.map(({ name, media_type, input }) => ({ name, media_type, ...input })) }
    : replaces !== null && kept.length === 0
      ? { files: [] }
      : {}

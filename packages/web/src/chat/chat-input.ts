import type { ChatFile } from '@panoptes/schema'
import type { ChatInputOnWire } from './api/chat-stream.ts'
import type { Draft } from './composer/drafts.ts'
import type { RuntimeChoice } from './head/pickers.tsx'

/** Converts a draft to a request. It names a model only if the person chose one. */
export const toChatInput = (draft: Draft, { runtime, model }: RuntimeChoice): ChatInputOnWire => ({
  message: draft.text,
  ...(runtime === null ? {} : { runtime }),
  ...(model === null ? {} : { model }),
  ...(draft.template === null ? {} : { template: draft.template }),
  ...(draft.replaces === null ? {} : { replaces: draft.replaces }),
  ...filesIn(draft),
})

/** The names and sizes of the files sent with it. */
export const draftFiles = ({ files, kept: storedFiles }: Draft): readonly ChatFile[] =>
  files.length === 0 ? storedFiles : files.map(({ input: _input, ...file }) => file)

/** An edited message keeps its files unless the request names others or removes them. */
const filesIn = ({ files, kept: storedFiles, replaces }: Draft): Pick<ChatInputOnWire, 'files'> =>
  files.length > 0
    ? { files: files.map(({ name, media_type, input }) => ({ name, media_type, ...input })) }
    : replaces !== null && storedFiles.length === 0
      ? { files: [] }
      : {}

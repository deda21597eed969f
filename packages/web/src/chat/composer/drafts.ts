import type { ChatFile } from '@panoptes/schema'
import { createStore } from '../../store.ts'
import type { DraftFile } from './files.ts'

/** The unsent message of a conversation. */
export interface Draft {
  readonly text: string
  readonly files: readonly DraftFile[]
  readonly template: string | null
  /** The message that the draft replaces. */
  readonly replaces: string | null
  /** The files of that message. The server has them and sends them again. */
  readonly kept: readonly ChatFile[]
}

export const EMPTY: Draft = { text: '', files: [], template: null, replaces: null, kept: [] }
const MOST = 50

/** Drafts by conversation, so that a draft survives a visit elsewhere. A new conversation uses the key ''. */
export const drafts = createStore<ReadonlyMap<string, Draft>>(new Map())

export const getDraft = (id: string): Draft => drafts.get().get(id) ?? EMPTY

export function changeDraft(id: string, change: Partial<Draft>): void {
  drafts.update((before) => {
    const draft = { ...(before.get(id) ?? EMPTY), ...change }
    const after = new Map(before)
    after.delete(id)
    if (!isEmpty(draft)) after.set(id, draft)
    for (const oldest of after.keys()) {
      if (after.size <= MOST) break
      after.delete(oldest)
    }
    return after
  })
}

const isEmpty = ({ text, files, template, replaces }: Draft): boolean =>
  text === '' && files.length === 0 && template === null && replaces === null

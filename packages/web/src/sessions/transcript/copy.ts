import type { TranscriptReply } from '@panoptes/schema'
import { getJson } from '../../api/request.ts'
import { copyText } from '../../design/copy-button.tsx'
import { toast } from '../../design/toast.tsx'
import { words } from '../../words.ts'
import { saidBy } from '../strips.tsx'
import { markdownOf } from './markdown.ts'
import { arrange, type Placed } from './thread.ts'
import { type SessionRef, transcriptPath } from './use-transcript.ts'

const PAGE = 1_000
const MOST_PAGES = 10
const w = words.transcript

/** The whole session into the clipboard, whether or not all of it was read before. */
export async function copySession(ref: SessionRef): Promise<void> {
  try {
    const messages: Placed[] = []
    let next: number | null = 0
    let last: TranscriptReply | undefined
    for (let page = 0; next !== null && page < MOST_PAGES; page += 1) {
      const from: number = next
      last = await getJson<TranscriptReply>(transcriptPath(ref, from, PAGE))
      messages.push(...last.messages.map((message, i) => ({ n: from + i, message })))
      next = last.next
    }
    if (!last) return
    const text = markdownOf(last.session, arrange(messages, last.agents).main)
    const cut = next !== null
    await copyText(
      cut ? `${text}\n\n*${w.copyPart(messages.length)}*` : text,
      cut ? w.copiedPart(messages.length) : w.copied(messages.length),
    )
  } catch (error) {
    toast({ text: error instanceof Error ? saidBy(error) : w.failed, tone: 'failed' })
  }
}

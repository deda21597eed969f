import type { PastMessage, TranscriptReply } from '@panoptes/schema'
import { queryClient } from '../../api/client.ts'
import { getJson } from '../../api/request.ts'
import { copyText } from '../../design/copy-button.tsx'
import { toast } from '../../design/toast.tsx'
import { words } from '../../words.ts'
import { errorText } from '../strips.tsx'
import { messageMarkdown, toMarkdown } from './markdown.ts'
import { type SessionRef, sessionPath, wholeQuery } from './pages.ts'
import { buildThreads, type Call, type Entry } from './thread.ts'

const PAGE = 1_000
const MOST_MESSAGES = 10_000
const w = words.transcript

/** Copies the whole session, including messages that are not loaded yet. */
export const copySession = (ref: SessionRef): Promise<void> =>
  reportFailure(async () => {
    const messages: PastMessage[] = []
    let next: number | null = 0
    let last: TranscriptReply | undefined
    while (next !== null && messages.length < MOST_MESSAGES) {
      last = await getJson<TranscriptReply>(`${sessionPath(ref)}?from=${next}&limit=${PAGE}`)
      messages.push(...last.messages)
      next = last.next
    }
    if (!last) return
    const text = toMarkdown(last.session, buildThreads(messages, last.agents))
    const cut = next !== null || messages.some((message) => message.cut)
    await copyText(
      cut ? `${text}\n\n*${w.copyPart(messages.length)}*` : text,
      cut ? w.copiedPart(messages.length) : w.copied(messages.length),
    )
  })

/** Copies one message completely, with its calls and their results. */
export const copyEntry = (ref: SessionRef, entry: Entry): Promise<void> =>
  reportFailure(async () => {
    const loadWhole = async (n: number) => queryClient.ensureQueryData(wholeQuery(ref, n))
    const message = entry.message.cut ? await loadWhole(entry.n) : entry.message
    const calls = entry.parts.filter((part): part is Call => part.kind === 'call')
    const results: PastMessage[] = []
    for (const { result } of calls)
      if (result?.block.left_out !== undefined) results.push(await loadWhole(result.n))
    const resultBlocks = calls.flatMap(({ result }) => result?.block ?? [])
    const answer: PastMessage = { ...message, n: entry.n + 1, role: 'tool', content: resultBlocks }
    const again = buildThreads([message, ...results, answer], []).threads.get(message.agent_id)
    await copyText(messageMarkdown(again?.entries[0] ?? entry), w.copied(1))
  })

async function reportFailure(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    toast({ text: error instanceof Error ? errorText(error) : w.failed, tone: 'failed' })
  }
}

import { setImmediate as turn } from 'node:timers/promises'
import type { Hit, RecallQuery, SessionIndex } from '@panoptes/engine/ledger'
import { redactText } from '@panoptes/engine/redact'
import type { SessionSource } from '@panoptes/engine/sources'
import { orThrow, Refused } from '@panoptes/engine/threads'
import type { Message } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { judge } from './recalled-text.ts'
import { MOST_A_TEXT, type SaidTexts } from './said-texts.ts'
import { found, groupsOf } from './search.ts'

/** Something that was said in a past session. */
export interface RecalledMessage {
  readonly source: string
  readonly session_id: string
  readonly title: string | null
  readonly message_id: string
  readonly role: 'user' | 'assistant'
  readonly ts: number | null
  /** The words around the best place, or all of a short message. */
  readonly text: string
}

export interface RecalledMessages {
  /** The best first. */
  readonly found: readonly RecalledMessage[]
  /** Those that were as good as found, with those that the limit left out. */
  readonly total: number
  readonly note?: string
}

export interface RecallOptions {
  readonly limit: number
  readonly except?: RecallQuery['except']
}

/** Whoever asks waits for it with a question in hand: what is not there by then is left out, where enough is. */
const ENOUGH_MS = 8
const MOST_MS = 100
/** Texts that were not read by then are read for the next question, so long at most. */
const LATER_MS = 250
/** Messages whose texts are looked at, for each that is wanted. */
const LOOKED = 2
const LEAST_LOOKED = 12
const MOST_LOOKED = 32

/** The index says which messages may have to do with a text; their own texts say how much. */
export async function recall(
  index: SessionIndex,
  sources: ReadonlyMap<string, SessionSource>,
  texts: SaidTexts,
  text: string,
  { limit, except }: RecallOptions,
  stopped: () => boolean = () => false,
): Promise<RecalledMessages> {
  const orStop = () => {
    if (stopped()) throw new Refused(failure('stopped', 'The search was stopped before its end.'))
  }
  const began = performance.now()
  // The word that nobody waits for it any more may be there already.
  await turn()
  orStop()
  const most = Math.min(MOST_LOOKED, Math.max(LEAST_LOOKED, limit * LOOKED))
  const { hits, words } = orThrow(await index.recall({ text, most, except, until: began + MOST_MS / 2 }))
  const isOver = (read: number) =>
    stopped() || performance.now() > began + (read >= limit ? ENOUGH_MS : MOST_MS)
  const unread = await readTexts(hits, sources, texts, isOver)
  orStop()
  if (unread.length > 0) {
    const end = performance.now() + LATER_MS
    setImmediate(() => void readTexts(unread, sources, texts, () => performance.now() > end))
  }
  const said = hits.flatMap((hit) => {
    const own = texts.get(hit)
    return own === undefined || own === null ? [] : [{ hit, text: own }]
  })
  const { best, total } = judge(said, words, limit)
  return {
    found: best.map(({ hit, text: part }) => ({
      source: hit.source,
      session_id: hit.session_id,
      title: hit.title,
      message_id: hit.id,
      role: hit.role === 'user' ? 'user' : 'assistant',
      ts: hit.ts,
      text: part,
    })),
    total,
    ...(unread.length > 0 && { note: `${unread.length} messages were not read in time` }),
  }
}

/** Answers those whose texts were not read. Sources that can tell single messages come first. */
async function readTexts(
  hits: readonly Hit[],
  sources: ReadonlyMap<string, SessionSource>,
  texts: SaidTexts,
  isOver: (read: number) => boolean,
): Promise<readonly Hit[]> {
  const groups = groupsOf(hits.filter((hit) => texts.get(hit) === undefined))
  const canFind = ([{ source }]: (typeof groups)[number]) => sources.get(source)?.find !== undefined
  const unread: Hit[] = []
  const isLate = () => isOver(read)
  let read = hits.filter((hit) => typeof texts.get(hit) === 'string').length
  for (const group of [...groups.filter(canFind), ...groups.filter((each) => !canFind(each))]) {
    const source = sources.get(group[0].source)
    if (source === undefined || isLate()) {
      unread.push(...group)
      continue
    }
    const messages = await found(source, group, isLate)
    for (const hit of group) {
      const message = messages.get(hit)
      if (message === undefined) {
        if (isLate()) unread.push(hit)
        continue
      }
      const said = saidIn(message)
      texts.set(hit, said)
      if (said !== null) read += 1
    }
  }
  return unread
}

/** What was said in it, without thoughts, tools and secrets: it is told to others. Null for what the client said by itself. */
function saidIn({ content, hidden, state }: Message): string | null {
  if (hidden || state === 'summary') return null
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
  return text.trim() === '' ? null : redactText(text.slice(0, MOST_A_TEXT)).text
}

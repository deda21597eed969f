import { randomUUID } from 'node:crypto'
import type { Conversations } from '@panoptes/engine/ledger'
import { failure, success } from '@panoptes/schema/result'
import type { Chat } from './chat.ts'
import { toldFact } from './context/user-memory.ts'

const MOST_FACTS = 1_000

/** What is remembered of each person. */
export const factsOf = (conversations: Conversations): Pick<Chat, 'facts' | 'remember' | 'forgetFact'> => ({
  facts: conversations.facts,
  remember: async (text, owner) => {
    const facts = await conversations.facts(owner)
    if (!facts.ok) return facts
    const known = facts.value.find((fact) => fact.text === text)
    if (known) return success(known)
    if (facts.value.length >= MOST_FACTS)
      return failure('invalid', `There are ${MOST_FACTS} facts already. Forget some first.`)
    const fact = { id: `fact-${randomUUID()}`, text, ts: Date.now() }
    const kept = await conversations.remember(fact, owner)
    return kept.ok ? success(fact) : kept
  },
  forgetFact: async (id, owner) => {
    const facts = await conversations.facts(owner)
    if (!facts.ok) return facts
    const known = facts.value.find((fact) => fact.id === id)
    const was = known ? await conversations.forgetFact(id, toldFact(known.text)) : success(false)
    if (!was.ok) return was
    return was.value ? success(null) : failure('not_found', 'There is no such fact.')
  },
})

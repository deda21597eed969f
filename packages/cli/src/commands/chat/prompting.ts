import { type ConversationHead, runtimeNamed } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { CommandFailure } from '../../failure.ts'
import { TypedLines } from '../../terminal/typed-lines.ts'
import { counted } from '../../terminal/words.ts'
import { plain } from '../sessions/words.ts'
import { type Asked, inputOf } from './input.ts'
import { saidIn } from './say.ts'
import { asFailure, show } from './show.ts'
import type { Talk } from './talk.ts'

const HELP = `  /runtime NAME   who answers from now on
  /model NAME     which model of it
  /new            begin another conversation
  /quit           leave; Ctrl-D does, too`

/** Messages one after the other, until the person leaves. A mistake or a failed answer ends nothing. */
export async function prompting(
  context: Context,
  talk: Talk,
  there: ConversationHead | null,
  first: Asked,
): Promise<void> {
  const { output } = context
  const lines = new TypedLines()
  let id = there?.id ?? null
  let asked: Asked = first
  if (there)
    output.aside(`${plain(there.title || there.id, 80)} · ${counted(there.messages_count, 'message')}`)
  output.aside('/help says what there is beside talking. Ctrl-C stops an answer, Ctrl-D leaves.')
  const answering = async (work: () => Promise<string>): Promise<void> => {
    try {
      id = await work()
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error
      output.failed(error)
    }
  }
  if (there && there.run_id !== null)
    await answering(() => answered(context, talk, there.id, lines, () => talk.follow(there.id, null)))
  for (;;) {
    const typed = await lines.next('› ')
    if (typeof typed === 'string') break
    const said = typed.text.trim()
    if (said === '') continue
    if (said.startsWith('/')) {
      const [word = '', value = ''] = said.split(/\s+/, 2)
      if (word === '/quit') break
      if (word === '/new') id = null
      else if (word === '/runtime' && value !== '')
        asked = { ...asked, runtime: runtimeNamed(value), model: undefined }
      else if (word === '/model' && value !== '') asked = { ...asked, model: value }
      else {
        output.note(HELP)
        continue
      }
      output.aside(fromNowOn(word, asked))
      continue
    }
    await answering(async () => {
      const said = await saidIn(talk, id, inputOf(typed.text, asked))
      id = said.id
      return answered(context, talk, said.id, lines, async () => said.events)
    })
    // What was given for the first message is said.
    asked = { ...asked, files: [], template: undefined }
  }
  lines.close()
  if (id !== null) output.aside(`Go on with: panoptes chat --resume ${id}`)
}

/** What a word at the prompt did; whether there is such a one is known when it is asked. */
function fromNowOn(word: string, { runtime, model }: Asked): string {
  if (word === '/new') return 'The next message begins another conversation.'
  const who = [runtime?.replace(/^acp:/, ''), model].filter(Boolean).join(' · ')
  return `The next message goes to ${plain(who, 120)}.`
}

async function answered(
  context: Context,
  talk: Talk,
  id: string,
  lines: TypedLines,
  begin: () => ReturnType<Talk['say']>,
): Promise<string> {
  const ended = await show(context, talk, id, await begin(), lines)
  if (ended.how === 'failed') throw asFailure(ended.error)
  if (ended.done.outcome === 'cancelled') context.output.aside('Stopped; what was said so far is kept.')
  return id
}

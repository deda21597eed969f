import type { Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { z } from 'zod'
import { cleaned } from '../context/clean.ts'
import { inputs, type OwnData } from './data.ts'
import type { OwnTool, OwnToolContext } from './port.ts'
import { cutResult } from './tool-data.ts'

const TIMEOUT_MS = 20_000

/** Tools over the data of Panoptes. All except `remember` are read-only. */
export function ownTools(data: OwnData): readonly OwnTool[] {
  return [
    ...tool({
      name: 'search_sessions',
      description: 'Searches what was said in past sessions of all agents on this computer.',
      input: inputs.search_sessions,
      run: data.searchSessions,
    }),
    ...tool({
      name: 'read_session',
      description: 'Reads a page of what was said in a past session.',
      input: inputs.read_session,
      run: data.readSession,
    }),
    ...tool({
      name: 'live_agents',
      description: 'Tells which agents run now, what they do and whether they wait for somebody.',
      input: inputs.live_agents,
      run: data.liveAgents,
    }),
    ...tool({
      name: 'spending',
      description: 'Sums what agents took: sessions, tokens, money.',
      input: inputs.spending,
      run: data.spending,
    }),
    ...tool({
      name: 'templates',
      description: 'Lists templates of good sessions, or tells all of one.',
      input: inputs.templates,
      run: data.templates,
    }),
    ...tool({
      name: 'load_skill',
      description:
        'Loads the instructions of a skill by its name. Do so before you follow a skill that was listed to you.',
      input: inputs.load_skill,
      run: data.loadSkill,
    }),
    ...tool({
      name: 'search_knowledge',
      description: 'Finds passages in the folders of notes and documents that the person keeps.',
      input: inputs.search_knowledge,
      run: data.searchKnowledge,
    }),
    ...tool({
      name: 'remember',
      description: 'Keeps a fact for later conversations. Only when the person asks for it.',
      input: inputs.remember,
      run: data.remember,
      asks: true,
    }),
  ]
}

interface Described<I> extends Pick<OwnTool, 'name' | 'description'> {
  readonly input: z.ZodType<I>
  readonly run: ((input: I, context: OwnToolContext) => Promise<Result<unknown>>) | undefined
  readonly asks?: boolean
}

function tool<I>({ name, description, input, run, asks = false }: Described<I>): readonly OwnTool[] {
  if (run === undefined) return []
  const { $schema: _version, ...schema } = z.toJSONSchema(input, { io: 'input' })
  return [
    {
      name,
      description,
      schema,
      asks,
      timeoutMs: TIMEOUT_MS,
      run: async (rawInput, context) => {
        const read = input.safeParse(rawInput)
        if (!read.success) return failure('invalid', problemsIn(read.error))
        try {
          const result = await run(read.data, context)
          return result.ok ? success(cleaned(cutResult(asText(result.value))).text) : result
        } catch (error) {
          return failure('io', error instanceof Error ? error.message : 'It failed.')
        }
      },
    },
  ]
}

const problemsIn = ({ issues }: z.ZodError): string =>
  issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`)
    .join('; ')

/** Texts keep their line breaks, because instructions are detected by line. */
const asText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? 'nothing')

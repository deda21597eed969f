import type { Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { z } from 'zod'
import { cleanText } from '../context/clean.ts'
import { fenceText } from '../context/section.ts'

const TIMEOUT_MS = 20_000

/** The maximum number of characters of a result that a model gets. */
const MOST = 50_000

/** The context of a tool call, besides its input. */
interface OwnToolContext {
  readonly signal: AbortSignal
  /** The user's working folder. */
  readonly folder: string
  /** The owner of the conversation, in a team. */
  readonly owner?: string | null | undefined
}

/** A tool that a model may call. It never throws. */
export interface OwnTool {
  /** Letters, digits, `_` and `-`; at most 64. */
  readonly name: string
  readonly description: string
  /** The JSON Schema of its input. */
  readonly schema: Readonly<Record<string, unknown>>
  /** The tool changes something, so the user has to approve it. */
  readonly asks: boolean
  readonly timeoutMs: number
  /** Returns the result, cleaned and bounded. `asToolData` wraps it for the model as data. */
  readonly run: (input: Readonly<Record<string, unknown>>, context: OwnToolContext) => Promise<Result<string>>
}

type ToolHandler<I> = (input: I, context: OwnToolContext) => Promise<Result<unknown>>

/**
 * What Panoptes knows, as functions provided by the caller. A missing function means that the tool
 * does not exist.
 */
export interface OwnData {
  readonly searchSessions?: ToolHandler<z.infer<typeof inputs.search_sessions>> | undefined
  readonly readSession?: ToolHandler<z.infer<typeof inputs.read_session>> | undefined
  readonly liveAgents?: ToolHandler<z.infer<typeof inputs.live_agents>> | undefined
  readonly spending?: ToolHandler<z.infer<typeof inputs.spending>> | undefined
  /** Returns one template in full if it is named, otherwise a list. */
  readonly templates?: ToolHandler<z.infer<typeof inputs.templates>> | undefined
  /** Returns the body of the skill's SKILL.md. */
  readonly loadSkill?: ToolHandler<z.infer<typeof inputs.load_skill>> | undefined
  readonly searchKnowledge?: ToolHandler<z.infer<typeof inputs.search_knowledge>> | undefined
  /**
   * Remembers a fact about the user. It is the only one of these tools that changes something, so
   * it requires approval.
   */
  readonly remember?: ToolHandler<z.infer<typeof inputs.remember>> | undefined
}

const inputs = {
  search_sessions: z.object({
    text: z.string().min(1).max(1_000).describe('Words to search for in past sessions of any agent'),
    source: z
      .string()
      .max(100)
      .optional()
      .describe('Only sessions of this agent, such as claude-code, codex, hermes, opencode, panoptes'),
    limit: z.int().min(1).max(50).default(10),
  }),
  read_session: z.object({
    source: z.string().min(1).max(100).describe('The agent, as returned by search_sessions'),
    session_id: z.string().min(1).max(500),
    from: z.int().min(0).default(0).describe('The first message of the page, counted from 0'),
    limit: z.int().min(1).max(100).default(20),
  }),
  live_agents: z.object({}),
  spending: z.object({
    days: z.int().min(1).max(3_650).default(7).describe('Number of days, up to now'),
    by: z.enum(['day', 'model', 'source', 'project']).default('source'),
  }),
  templates: z.object({
    name: z
      .string()
      .max(200)
      .optional()
      .describe('The template to show in full; if omitted, all templates are listed'),
  }),
  load_skill: z.object({ name: z.string().min(1).max(200).describe('Name of the skill') }),
  search_knowledge: z.object({
    text: z.string().min(1).max(1_000).describe('What to search for in the person’s notes and documents'),
    limit: z.int().min(1).max(20).default(5),
  }),
  remember: z.object({
    text: z
      .string()
      .trim()
      .min(1)
      .max(500)
      .describe('One fact about the person or their work, in one sentence'),
  }),
}

/** Tools over the data of Panoptes. All except `remember` are read-only. */
export function ownTools(data: OwnData): readonly OwnTool[] {
  return [
    ...defineTool({
      name: 'search_sessions',
      description: 'Searches the past sessions of all agents on this computer.',
      input: inputs.search_sessions,
      run: data.searchSessions,
    }),
    ...defineTool({
      name: 'read_session',
      description: 'Reads a page of messages from a past session.',
      input: inputs.read_session,
      run: data.readSession,
    }),
    ...defineTool({
      name: 'live_agents',
      description:
        'Lists the agents that are running now, what they are doing, and whether they are waiting for somebody.',
      input: inputs.live_agents,
      run: data.liveAgents,
    }),
    ...defineTool({
      name: 'spending',
      description: 'Sums up what agents used: sessions, tokens, cost.',
      input: inputs.spending,
      run: data.spending,
    }),
    ...defineTool({
      name: 'templates',
      description: 'Lists templates made from good sessions, or shows one in full.',
      input: inputs.templates,
      run: data.templates,
    }),
    ...defineTool({
      name: 'load_skill',
      description: 'Loads the instructions of a skill by its name. Load a listed skill before you follow it.',
      input: inputs.load_skill,
      run: data.loadSkill,
    }),
    ...defineTool({
      name: 'search_knowledge',
      description: 'Finds passages in the person’s folders of notes and documents.',
      input: inputs.search_knowledge,
      run: data.searchKnowledge,
    }),
    ...defineTool({
      name: 'remember',
      description: 'Remembers a fact for later conversations. Use it only when the person asks for it.',
      input: inputs.remember,
      run: data.remember,
      asks: true,
    }),
  ]
}

interface ToolDefinition<I> extends Pick<OwnTool, 'name' | 'description'> {
  readonly input: z.ZodType<I>
  readonly run: ((input: I, context: OwnToolContext) => Promise<Result<unknown>>) | undefined
  readonly asks?: boolean
}

function defineTool<I>({
  name,
  description,
  input,
  run,
  asks = false,
}: ToolDefinition<I>): readonly OwnTool[] {
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
        if (!read.success) return failure('invalid', formatProblems(read.error))
        try {
          const result = await run(read.data, context)
          return result.ok ? success(cleanText(cutResult(formatResult(result.value))).text) : result
        } catch (error) {
          return failure('io', error instanceof Error ? error.message : 'It failed.')
        }
      },
    },
  ]
}

const formatProblems = ({ issues }: z.ZodError): string =>
  issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`)
    .join('; ')

/** Texts keep their line breaks, because instructions are detected by line. */
const formatResult = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? 'nothing')

/** Cuts a result to what a model gets and states how much is missing. */
export function cutResult(text: string, most: number = MOST): string {
  if (text.length <= most) return text
  const cut = text.slice(0, most).toWellFormed()
  const gone = text.length - most
  const rest = gone === 1 ? '1 more character is' : `${gone} more characters are`
  return `${cut}\n… ${rest} left out. Ask for less at once.`
}

/** Wraps a result in fences, so that the model reads it as data. */
export const asToolData = (tool: string, text: string): string =>
  fenceText(`result of ${tool.replace(/[^\w-]/g, '_')}`, text === '' ? '(nothing)' : text)

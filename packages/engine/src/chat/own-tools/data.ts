import type { Result } from '@panoptes/schema'
import { z } from 'zod'
import type { OwnToolContext } from './port.ts'

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

export const inputs = {
  search_sessions: z.object({
    text: z
      .string()
      .min(1)
      .max(1_000)
      .describe('Words to look for in what was said in past sessions of any agent'),
    source: z
      .string()
      .max(100)
      .optional()
      .describe('Only sessions of this agent, such as claude-code, codex, hermes, opencode, panoptes'),
    limit: z.int().min(1).max(50).default(10),
  }),
  read_session: z.object({
    source: z.string().min(1).max(100).describe('The agent, as search_sessions names it'),
    session_id: z.string().min(1).max(500),
    from: z.int().min(0).default(0).describe('The first message of the page, from 0 on'),
    limit: z.int().min(1).max(100).default(20),
  }),
  live_agents: z.object({}),
  spending: z.object({
    days: z.int().min(1).max(3_650).default(7).describe('How many days, up to now'),
    by: z.enum(['day', 'model', 'source', 'project']).default('source'),
  }),
  templates: z.object({
    name: z.string().max(200).optional().describe('One of them, with all it has; without it all are listed'),
  }),
  load_skill: z.object({ name: z.string().min(1).max(200).describe('A skill, by its name') }),
  search_knowledge: z.object({
    text: z.string().min(1).max(1_000).describe('What to look for in the notes and documents of the person'),
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

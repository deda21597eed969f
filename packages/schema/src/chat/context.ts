import { z } from 'zod'

/** `unavailable` could not be queried now; `absent` has nothing to add. */
export const sectionStatus = z.enum(['ok', 'absent', 'unavailable'])
export type SectionStatus = z.infer<typeof sectionStatus>

/** The state of one section of a context. */
export const contextSection = z.object({
  key: z.string(),
  title: z.string(),
  status: sectionStatus,
  chars: z.int(),
  /** An estimate. */
  tokens: z.int(),
  /** How many items it contains and how many were cut. */
  items: z.int(),
  left_out: z.int(),
  truncated: z.boolean(),
  /** Why it is missing, or what was removed from it. */
  note: z.string().optional(),
  elapsed_ms: z.number().optional(),
  /** The text that was sent; only if the whole context is requested. */
  text: z.string().optional(),
})
export type ContextSection = z.infer<typeof contextSection>

export const shortlistedSkill = z.object({
  name: z.string(),
  description: z.string(),
  /** The owner of its folder. */
  of: z.string(),
  score: z.number(),
  reasons: z.array(z.string()),
})
export type ShortlistedSkill = z.infer<typeof shortlistedSkill>

export const skillShortlist = z.object({
  skills: z.array(shortlistedSkill).max(8),
  /** Number of further skills. */
  left_out: z.int(),
  status: sectionStatus,
})
export type SkillShortlist = z.infer<typeof skillShortlist>

export const planNode = z.object({
  id: z.string(),
  label: z.string(),
  /** Estimated work in seconds. */
  work: z.number(),
})
export type PlanNode = z.infer<typeof planNode>

/** The sub-tasks of a question, and whether running them in parallel is worth it. */
export const taskGraph = z.object({
  decision: z.enum(['sequential', 'parallel']),
  /** The predicted speedup: total work divided by overhead plus the longest path. */
  worthiness: z.number(),
  reasons: z.array(z.string()),
  nodes: z.array(planNode),
  /** From a prerequisite to what depends on it. */
  edges: z.array(z.object({ from: z.string(), to: z.string() })),
  refined: z.boolean().optional(),
})
export type TaskGraph = z.infer<typeof taskGraph>

/** Everything sent with a message, by section, and what was left out. */
export const sentContext = z.object({
  sections: z.array(contextSection),
  skills: skillShortlist,
  plan: taskGraph,
  template: z.string().nullable(),
  budget_tokens: z.int(),
})
export type SentContext = z.infer<typeof sentContext>

import type { AchievementsReply } from '@panoptes/schema'
import { toJson } from './json.ts'
import { toMarkdown } from './markdown.ts'
import { type ItemState, type Shown, selectItems } from './shared.ts'
import { toSvg } from './svg.ts'

const RENDERERS = { json: toJson, markdown: toMarkdown, svg: toSvg } satisfies Readonly<
  Record<string, (shown: Shown) => string>
>

export type AchievementsFormat = keyof typeof RENDERERS

export const ACHIEVEMENTS_FORMATS = Object.keys(RENDERERS) as readonly AchievementsFormat[]

/** Exports the achievements as a document, in one state or all. */
export const exportAchievements = (
  reply: AchievementsReply,
  format: AchievementsFormat,
  state?: ItemState,
): string => RENDERERS[format](selectItems(reply, state))

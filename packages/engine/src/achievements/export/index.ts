import type { AchievementsReply } from '@panoptes/schema'
import { jsonOf } from './json.ts'
import { markdownOf } from './markdown.ts'
import { type ItemState, type Shown, shownOf } from './shared.ts'
import { svgOf } from './svg.ts'

const RENDERERS = { json: jsonOf, markdown: markdownOf, svg: svgOf } satisfies Readonly<
  Record<string, (shown: Shown) => string>
>

export type AchievementsFormat = keyof typeof RENDERERS

export const ACHIEVEMENTS_FORMATS = Object.keys(RENDERERS) as readonly AchievementsFormat[]

/** The achievements as a document for others, in one state or in all. */
export const exportAchievements = (
  reply: AchievementsReply,
  format: AchievementsFormat,
  state?: ItemState,
): string => RENDERERS[format](shownOf(reply, state))

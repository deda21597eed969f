import type { Achievement } from './achievement.ts'
import { LATER } from './catalogue/additions.ts'
import { AUTONOMY } from './catalogue/autonomy.ts'
import { DEBUGGING } from './catalogue/debugging.ts'
import { HERMES_NATIVE } from './catalogue/hermes-native.ts'
import { LIFESTYLE } from './catalogue/lifestyle.ts'
import { MODEL_LORE } from './catalogue/model-lore.ts'
import { RESEARCH } from './catalogue/research.ts'
import { TOOL_MASTERY } from './catalogue/tool-mastery.ts'
import { VIBE_CODING } from './catalogue/vibe-coding.ts'

/** All achievements in display order. Ids never change, because unlocks are stored under them. */
export const CATALOGUE: readonly Achievement[] = [
  ...AUTONOMY,
  ...DEBUGGING,
  ...VIBE_CODING,
  ...HERMES_NATIVE,
  ...RESEARCH,
  ...TOOL_MASTERY,
  ...MODEL_LORE,
  ...LATER,
  ...LIFESTYLE,
]

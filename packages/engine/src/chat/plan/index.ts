export { planEvidence } from './evidence.ts'
export { type AskModel, refinedPlan } from './refine.ts'
export { planByRules } from './rules.ts'
export { isStepDone } from './tool-work.ts'

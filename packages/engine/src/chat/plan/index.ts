export { type AskModel, refinedPlan } from './refine.ts'
export { planOf } from './rules.ts'

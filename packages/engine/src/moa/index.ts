export { type Moa, openMoa, type TurnRequest } from './open.ts'
export type { TurnAsk, TurnCall, TurnPart } from './turn.ts'

export { type PreparedPage, pageState, preparePage } from './prepare.ts'

export { type Budgets, type BudgetsOptions, createBudgets } from './budgets.ts'

// Loading this module must fail: its static import lies outside the skill.
import text from "file:///etc/passwd" with { type: "text" };

export default text;
